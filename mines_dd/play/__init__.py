"""Games: positions weighed in double precision, searched to their end, and played by a policy; compiled and fast."""
