package import ArgumentParser
import Glibc

/// `latchkey decrypt`.
package struct DecryptCommand: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "decrypt", abstract: "Decrypt a file of RNCryptor's format, versions 1 to 3.",
        discussion: """
            The password is asked for on a terminal, else it is a line of standard input or of --password-fd; or it is the \
            secret of the generic password that -s, -a and -l name. The output is FILE without .rnc, or standard output if \
            the file comes from standard input. Not a byte of it is written before all of the file has been checked.
            """)

    @OptionGroup package var files: FileOptions
    @OptionGroup(title: "The password") package var password: FilePassword
    @OptionGroup package var common: CommonOptions

    package init() {}

    package mutating func validate() throws {
        try password.validate(standardInputIsFile: files.isStandardInput, common)
    }

    package func perform() throws(CommandFailure) -> Report {
        signal(SIGXFSZ, SIG_IGN)
        let target = try files.decryptedTarget()
        try password.checkSource(standardInputIsFile: files.isStandardInput)
        let input = try InputFile(files.file)
        try files.check(target, for: input, common)
        let output = try OutputFile(target)
        let progress = ProgressLine(isQuiet: files.quiet)
        var decryption = try FileDecryption(input, progress: progress)
        let secret = try password.password(for: input.name, standardInputIsFile: files.isStandardInput, common)
        let byteCount = try decryption.run(
            password: secret, into: output, isRevocable: target != .standardOutput)
        progress?.clear()
        if decryption.version == 1 {
            StandardError.write(
                """
                latchkey: \(input.name) is of version 1, whose check leaves out the beginning of the file: somebody may have \
                changed the first 16 bytes of what it holds. Encrypt it anew.

                """)
        }
        return files.report(target, byteCount: byteCount, version: decryption.version, done: "decrypted")
    }
}
