package import LatchkeySecretMemory

/// The files of other programs that passwords come from and go to.
package enum TransferFormat: String, Sendable, CaseIterable {
    case netrc
    case csv

    private static let netrcWords = ["machine", "default", "macdef", "login", "password", "account"]

    /// Guesses the format from a file's contents: the words of a netrc file, or a first line that names columns. A
    /// comma proves nothing: passwords and comments have them, too.
    package static func guess(of contents: SecretBox) -> TransferFormat {
        let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
        return unsafe contents.withBytes { bytes in
            var start = unsafe bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
            var isComment = false
            while start < bytes.count {
                let byte = unsafe bytes[start]
                if byte == UInt8(ascii: "#") { isComment = true }
                if byte == UInt8(ascii: "\n") { isComment = false }
                guard isComment || blanks.contains(byte) else { break }
                start += 1
            }
            let line = unsafe bytes[start...].prefix { $0 != UInt8(ascii: "\n") }
            let word = unsafe line.prefix { !blanks.contains($0) }
            if netrcWords.contains(where: { unsafe word.elementsEqual($0.utf8) }) { return .netrc }
            return unsafe line.contains(UInt8(ascii: ",")) ? .csv : .netrc
        }
    }

    package func read(_ contents: SecretBox) throws(TransferFailure) -> ImportedFile {
        try unsafe contents.withBytes { bytes throws(TransferFailure) in
            switch self {
            case .netrc: try unsafe NetrcReader.read(bytes)
            case .csv: try unsafe BrowserColumns.read(bytes)
            }
        }
    }
}
