/// A place in source code.
public struct CallSite: Sendable, Hashable, CustomStringConvertible {
    public let function: String
    public let file: String
    public let line: Int

    public var description: String { "\(file):\(line)" }
}
