"""The methods: each turns an instance and an order into a diagram or a circuit."""
