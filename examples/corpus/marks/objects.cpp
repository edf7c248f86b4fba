// C++ that marks its host references: by annotation where it defines them, by section where it doesn't.
#define HOST(what) __attribute__((annotate("reloc:" what)))

struct Object;
namespace toy {
inline HOST("object:toy:none") Object *none;
template <typename T> struct Type { static Object *of; };
template <> HOST("object:toy:type float") Object *Type<double>::of = nullptr;
} // namespace toy
extern __attribute__((section("reloc.toy"))) Object *const counter;
HOST("symbol:rt_alloc@librt.so") Object *(*alloc)(unsigned long);

bool is_none(Object *o) { return o == toy::none; }
template <typename T> bool is(Object *type) { return type == toy::Type<T>::of; }
template bool is<double>(Object *);
Object *count() { return counter; }
Object *fresh() { return alloc ? alloc(16) : toy::none; }
