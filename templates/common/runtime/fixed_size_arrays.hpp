// piece: value_index
// The index of value number `place` of an element, in an array of `count` values for each element.
inline uint64 value_index(uint64 element, uint64 count, uint64 place) { return element * count + place; }
