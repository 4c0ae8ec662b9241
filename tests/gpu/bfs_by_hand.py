import cupy
import numpy

import gdsl

program, graph = gdsl.compile("bfs"), gdsl.Graph.generate("rmat:10")
(kernel,) = program.kernels
counts = graph.num_vertices, graph.num_edges
parts = ("offsets", "columns", "in_offsets", "in_sources")
arrays = {("graph", name): [cupy.asarray(getattr(graph, name).astype("u4"))] for name in parts}

data = numpy.zeros(1, kernel.arguments[0].dtype)
for buffer in kernel.buffers:
    place = buffer.group, buffer.field
    if place not in arrays:  # all of it zeroed, which is more than required
        arrays[place] = [cupy.zeros(buffer.nbytes(*counts) + 16, "u1") for _ in range(max(buffer.copies, 1))]
    pointers = [array.data.ptr for array in arrays[place]]
    data[buffer.group][buffer.field] = pointers if buffer.copies else pointers[0]

largest = int(max(graph.out_degrees.max(), graph.in_degrees.max()))
stop = cupy.zeros(1, "u4")
data["graph"]["num_vertices"], data["graph"]["num_edges"] = counts
data["graph"]["largest_degree"] = largest
data["run"]["host_stop"] = stop.data.ptr
data["run"]["max_iterations"] = 2**62
data["problem"]["source"] = 3

kernel.raw()((kernel.blocks(*counts, largest),), (kernel.threads,), (data,))
distance = arrays["problem", "distance"][0].view("i4")[: graph.num_vertices]
