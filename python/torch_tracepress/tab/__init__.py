"""The tab of TensorBoard. ``runs`` lists the traces below its log directories, and opens them."""
