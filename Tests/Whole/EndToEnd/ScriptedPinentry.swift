import Foundation
import Testing

/// A pinentry that answers for the person: it knows the passcode of every ``ThrowawayDevice``. Gone when the test is.
final class ScriptedPinentry: Sendable {
    /// The environment that makes a program use it.
    let environment: [String: String]
    private let path: String

    /// - Parameter action: what the shell does each time before a passcode is given.
    init(before action: String = ":") throws {
        let path = "/tmp/latchkey-pinentry-\(UUID())"
        self.path = path
        let script = """
            #!/bin/bash
            echo OK
            while IFS= read -r line; do
                case $line in
                    'GETINFO flavor') echo 'D scripted'; echo OK ;;
                    SETDESC*) printf '%s\n' "$line" >>\(path).texts; echo OK ;;
                    GETPIN) \(action); echo 'D 246810'; echo OK ;;
                    *) echo OK ;;
                esac
            done
            """
        // By another process: one that another test starts would inherit a file that is being written.
        let writing = try run(
            URL(filePath: "/bin/bash"), ["-c", "cat > \"$0\" && chmod 700 \"$0\"", path], input: Data(script.utf8))
        try #require(writing.status == 0)
        environment = ["LATCHKEY_PINENTRY": path, "WAYLAND_DISPLAY": "wayland-0"]
    }

    /// The prompts that the person was shown so far, as they were sent, without the breaks of long lines: `%0A` ends a
    /// line.
    var texts: String {
        ((try? String(contentsOfFile: path + ".texts", encoding: .utf8)) ?? "").replacing("%0A    ", with: "")
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path + ".texts")
        try? FileManager.default.removeItem(atPath: path)
    }
}
