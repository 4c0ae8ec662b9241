// piece: FLOAT32_INF
#define FLOAT32_INF __builtin_inff()

// piece: FLOAT64_INF
#define FLOAT64_INF __builtin_inf()
