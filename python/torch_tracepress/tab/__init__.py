"""The tab of TensorBoard. ``runs`` lists the traces below its log directories and opens them, ``pages`` has the program
make pages of them."""
