"""One writer for each study, on this machine and in object stores."""
