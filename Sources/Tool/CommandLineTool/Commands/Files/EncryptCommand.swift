package import ArgumentParser
import Glibc

/// `latchkey encrypt`.
package struct EncryptCommand: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "encrypt", abstract: "Encrypt a file with a password, in RNCryptor's format.",
        discussion: """
            The password is asked for twice on a terminal, else it is a line of standard input or of --password-fd; or it \
            is the secret of the generic password that -s, -a and -l name. The output is FILE.rnc, or standard output if \
            the file comes from standard input. It appears when it is complete.
            """)

    @OptionGroup package var files: FileOptions
    @OptionGroup(title: "The password") package var password: FilePassword
    @OptionGroup package var common: CommonOptions

    package init() {}

    package mutating func validate() throws {
        try password.validate(standardInputIsFile: files.isStandardInput, common)
    }

    package func perform() throws(CommandFailure) -> Report {
        // A file larger than the limit of this process is an error like a full disk, and not the process's end.
        signal(SIGXFSZ, SIG_IGN)
        try password.checkSource(standardInputIsFile: files.isStandardInput)
        let input = try InputFile(files.file)
        let target = files.encryptedTarget
        try files.check(target, for: input, common)
        let output = try OutputFile(target)
        let secret = try password.newPassword(for: target.name, standardInputIsFile: files.isStandardInput, common)
        let encryption = FileEncryption(input: input, output: output, progress: ProgressLine(isQuiet: files.quiet))
        let byteCount = try encryption.run(password: secret)
        return files.report(target, byteCount: byteCount, version: 3, done: "encrypted")
    }
}
