import sys

from .claims import main

sys.exit(main())
