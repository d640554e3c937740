package import LatchkeySecretMemory

/// The files of other programs that passwords come from and go to.
package enum TransferFormat: String, Sendable, CaseIterable {
    case netrc
    case csv

    /// What the contents of a file look like: a first line that names columns, or words.
    package static func guess(of contents: SecretBox) -> TransferFormat {
        unsafe contents.withBytes { bytes in
            let firstLine = unsafe bytes.prefix { $0 != UInt8(ascii: "\n") }
            return unsafe firstLine.contains(UInt8(ascii: ",")) ? .csv : .netrc
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
