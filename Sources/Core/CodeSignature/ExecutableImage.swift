/// The signature-related view of a program's file: its digest, its signature, and the paths that the loader would add.
///
/// Reads through a descriptor that the caller keeps open as long as the image lives. The file is hostile until a
/// signature is accepted: unknown content is refused, and the work before that is limited.
package struct ExecutableImage: Sendable {
    package enum Kind: Sendable, Hashable {
        case elf
        /// Begins with `#!`.
        case script
        /// Anything else that Linux may start: it has no notes and can have a detached signature.
        case other
    }

    package let kind: Kind
    /// The ranges of the signature notes' descriptors, in order; a program linked with `Security` has one.
    package let noteRanges: [Range<UInt64>]
    /// The directories of DT_RPATH and DT_RUNPATH, unchanged. An empty one is the working directory.
    package let runPaths: [String]
    /// Files that the kernel or the loader opens by path: the loader itself, libraries and audit modules whose name has
    /// a slash.
    package let loadPaths: [String]
    private let file: ProgramFile

    package init(descriptor: Int32) throws(SignatureFailure) {
        file = try ProgramFile(descriptor: descriptor)
        let start = try file.bytes(0..<min(file.byteCount, 4))
        if start == ELFHeaders.magic, let headers = try ELFHeaders(file: file) {
            kind = .elf
            noteRanges = try ELFNotes.signatureRanges(in: file, headers: headers)
            let dynamic = try ELFDynamic(file: file, headers: headers)
            runPaths = dynamic.runPaths
            loadPaths = dynamic.loadPaths
        } else {
            kind = start.starts(with: Array("#!".utf8)) ? .script : .other
            noteRanges = []
            runPaths = []
            loadPaths = []
        }
    }

    package var byteCount: UInt64 { file.byteCount }

    /// Computes SHA-256 of the file with zeros where signatures are.
    package func digest() throws(SignatureFailure) -> [UInt8] {
        try file.digest(zeroing: noteRanges)
    }

    /// Returns the signature in the file; nil if there is none. ``ProgramSignature/check(digest:)`` verifies it.
    package func embeddedSignature() throws(SignatureFailure) -> ProgramSignature? {
        var blobs: [[UInt8]] = []
        for range in noteRanges {
            let blob = try SignatureNote.blob(in: try file.bytes(range))
            if !blob.isEmpty { blobs.append(blob) }
        }
        guard blobs.count <= 1 else { throw .twoSignatures }
        guard let blob = blobs.first else { return nil }
        return try ProgramSignature(decoding: blob)
    }
}
