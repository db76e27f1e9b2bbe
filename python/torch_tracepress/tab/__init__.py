"""The tab of TensorBoard: reports of the runs below its log directories, comparisons of two runs, and new traces.

``runs`` lists and opens traces. ``pages`` lets the program make pages of them. ``plugin`` answers TensorBoard.
``index.js`` is the part in the browser. Only ``plugin`` imports TensorBoard.
"""
