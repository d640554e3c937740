// Apple's module `os`, as a kit has it: messages and locks. It is compiled by Scripts/link-kit and not a target of the
// package: the package manager shows every module of a build to all packages in it, and `canImport(os)` changes some.
@_exported public import AppleLog
@_exported public import AppleNames
