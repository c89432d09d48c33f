"""Files and folders: what is written appears whole, what is read is somebody else's until it is parsed."""
