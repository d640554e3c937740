// As on Apple platforms, a file that imports this module has Foundation and the names of Security.
@_exported public import Foundation
@_exported public import Security
