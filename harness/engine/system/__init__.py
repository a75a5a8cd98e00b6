"""Information from the kernel: the machine and process trees."""
