"""What every room stands on: errors, budgets, compiled kernels, hashing."""
