import Foundation

extension FileHandle {
    /// Reads up to the end of the next line: a pipe may give it in parts. Returns the part that was read if the pipe
    /// ends.
    package func nextLine() -> String {
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let part = availableData
            guard !part.isEmpty else { break }
            line += part
        }
        return String(decoding: line, as: UTF8.self)
    }
}
