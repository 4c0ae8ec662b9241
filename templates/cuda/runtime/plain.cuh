// piece: plain_min plain_max plain_add plain_subtract plain_multiply plain_and plain_or plain_xor
// Reductions where a single call can address the element; they return the former value.
template <class T>
__device__ __forceinline__ T plain_min(T* x, T value) { const T former = *x; *x = minimum(former, value + T(0)); return former; }
template <class T>
__device__ __forceinline__ T plain_max(T* x, T value) { const T former = *x; *x = maximum(former, value + T(0)); return former; }
template <class T>
__device__ __forceinline__ T plain_add(T* x, T value) { const T former = *x; *x = sum(former, value); return former; }
template <class T>
__device__ __forceinline__ T plain_subtract(T* x, T value) { const T former = *x; *x = difference(former, value); return former; }
template <class T>
__device__ __forceinline__ T plain_multiply(T* x, T value) { const T former = *x; *x = product(former, value); return former; }
template <class T>
__device__ __forceinline__ T plain_and(T* x, T value) { const T former = *x; *x = T(former & value); return former; }
template <class T>
__device__ __forceinline__ T plain_or(T* x, T value) { const T former = *x; *x = T(former | value); return former; }
template <class T>
__device__ __forceinline__ T plain_xor(T* x, T value) { const T former = *x; *x = T(former ^ value); return former; }

// piece: difference
template <class T>
__device__ __forceinline__ T difference(T a, T b) { return wrapping_subtract(a, b); }
__device__ __forceinline__ float32 difference(float32 a, float32 b) { return a - b; }
__device__ __forceinline__ float64 difference(float64 a, float64 b) { return a - b; }

// piece: plain_compare_and_swap
template <class T>
__device__ __forceinline__ bool plain_compare_and_swap(T* x, T old, T value) {
    const bool won = *x == old;
    if (won) { *x = value; }
    return won;
}

// piece: plain_changed
// Whether a plain reduction changed the element.
template <class T>
__device__ __forceinline__ bool plain_changed(const T* x, T former) { return *x != former && (*x == *x || former == former); }

// piece: plain_changed_min plain_changed_max plain_changed_add plain_changed_subtract plain_changed_multiply
template <class T>
__device__ __forceinline__ bool plain_changed_min(T* x, T value) { return plain_changed(x, plain_min(x, value)); }
template <class T>
__device__ __forceinline__ bool plain_changed_max(T* x, T value) { return plain_changed(x, plain_max(x, value)); }
template <class T>
__device__ __forceinline__ bool plain_changed_add(T* x, T value) { return plain_changed(x, plain_add(x, value)); }
template <class T>
__device__ __forceinline__ bool plain_changed_subtract(T* x, T value) { return plain_changed(x, plain_subtract(x, value)); }
template <class T>
__device__ __forceinline__ bool plain_changed_multiply(T* x, T value) { return plain_changed(x, plain_multiply(x, value)); }

// piece: plain_changed_and plain_changed_or plain_changed_xor
template <class T>
__device__ __forceinline__ bool plain_changed_and(T* x, T value) { return plain_changed(x, plain_and(x, value)); }
template <class T>
__device__ __forceinline__ bool plain_changed_or(T* x, T value) { return plain_changed(x, plain_or(x, value)); }
template <class T>
__device__ __forceinline__ bool plain_changed_xor(T* x, T value) { return plain_changed(x, plain_xor(x, value)); }
