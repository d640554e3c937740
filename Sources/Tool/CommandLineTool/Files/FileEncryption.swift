import LatchkeyRNCryptorFormat
package import LatchkeySecretMemory

/// Encrypts one file, in pieces.
package struct FileEncryption {
    package let input: InputFile
    package let output: OutputFile
    package let progress: ProgressLine?

    package init(input: InputFile, output: OutputFile, progress: ProgressLine?) {
        self.input = input
        self.output = output
        self.progress = progress
    }

    /// Writes all of it and returns how many bytes of plaintext there were.
    package func run(password: SecretBox) throws(CommandFailure) -> Int {
        var encryptor: MessageEncryptor
        do {
            encryptor = try MessageEncryptor(.password(password))
        } catch {
            throw CommandFailure(error, opening: input.name)
        }
        let plaintext = FileBuffer(byteCount: FileSize.piece)
        let message = FileBuffer(byteCount: FileSize.piece + MessageSize.largestOverhead)
        var byteCount = 0
        progress?.begin("Encrypting", total: input.byteCount)
        while true {
            let count = try unsafe input.read(into: plaintext.bytes, at: byteCount)
            let written = unsafe encryptor.update(plaintext.prefix(count), into: message.bytes)
            try unsafe output.write(message.prefix(written))
            byteCount += count
            progress?.advance(by: count)
            guard count == FileSize.piece else { break }
        }
        let written = unsafe encryptor.finish(into: message.bytes)
        try unsafe output.write(message.prefix(written))
        progress?.end()
        try output.complete()
        return byteCount
    }
}
