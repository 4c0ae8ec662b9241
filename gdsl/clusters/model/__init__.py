"""A model of the time and the memory that a run takes on several GPUs of a host, with edge lists in the memory of the
host, and on several workers. It reads plans, and knows a few constants of machines, but no program and no graph."""
