"""The tab of TensorBoard: the report of each run below its log directories, two runs compared, new traces as they come.

``runs`` lists traces and opens them, ``pages`` has the program make pages of them, ``plugin`` answers TensorBoard, and
``index.js`` is what stands in the browser. Only ``plugin`` imports TensorBoard.
"""
