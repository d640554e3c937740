import Foundation

/// Python's package of the same name, in an interpreter of its own, which takes the time itself.
enum PythonRNCryptor {
    /// Seconds for encrypting and decrypting text of so many bytes with a password.
    static func seconds(byteCount: Int, processor: String?) throws -> Double {
        let script = """
            import sys, time, rncryptor
            text = "a" * int(sys.argv[1])
            start = time.perf_counter()
            message = rncryptor.encrypt(text, "correct horse")
            back = rncryptor.decrypt(message, "correct horse")
            seconds = time.perf_counter() - start
            assert back == text
            print(seconds)
            """
        let process = Process()
        let output = Pipe()
        Worker.configure(
            process, program: "/usr/bin/python3", arguments: ["-c", script, String(byteCount)], processor: processor)
        process.environment = ProcessInfo.processInfo.environment.merging(["PYTHONPATH": ".build/python"]) { $1 }
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0, let seconds = Double(text.filter { !$0.isWhitespace }) else {
            throw Failure("Python's rncryptor gave no time; see above")
        }
        return seconds
    }
}
