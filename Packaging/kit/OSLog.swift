// Apple's module `OSLog`, without `OSLogStore`: messages are not stored.
@_exported public import os
