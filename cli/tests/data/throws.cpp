#include <stdexcept>
#include <string>
#include <vector>

struct Shape { virtual ~Shape() = default; virtual double area() const = 0; };
struct Square : Shape { double side; explicit Square(double s) : side(s) {} double area() const override { return side * side; } };

double total(const std::vector<Shape *> &shapes) {
    double sum = 0;
    for (auto *shape : shapes) {
        if (!shape) throw std::invalid_argument("no shape");
        sum += shape->area();
    }
    return sum;
}

std::string describe(double side) {
    Square square(side);
    try {
        return std::to_string(total({&square, nullptr}));
    } catch (const std::exception &error) {
        return error.what();
    }
}
