// The objects of two sessions.
long first_a = 50, first_b = 8, second_a = 1000, second_b = 1;
