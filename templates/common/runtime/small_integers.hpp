// piece: int8
typedef signed char int8;

// piece: uint8
typedef unsigned char uint8;

// piece: int16
typedef short int16;

// piece: uint16
typedef unsigned short uint16;
