// piece: value_index
// Where the value number `place` of an element lies, in an array of `count` values an element.
inline uint64 value_index(uint64 element, uint64 count, uint64 place) { return element * count + place; }
