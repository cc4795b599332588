"""find_folder.py PREFIX - prints the folder below PREFIX in which this Python looks for packages."""

import os
import sys
import sysconfig

prefix = os.path.normpath(sys.argv[1])
kind = os.path.basename(sysconfig.get_path("purelib"))  # dist-packages on Debian, otherwise site-packages
usual = os.path.join(prefix, "lib", "python%d.%d" % sys.version_info[:2], kind)
below = [place for place in sys.path if os.path.relpath(place, prefix).startswith("lib" + os.sep)]
print(next((place for place in below if os.path.basename(place) == kind), usual))
