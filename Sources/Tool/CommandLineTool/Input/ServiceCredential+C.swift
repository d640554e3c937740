import Glibc
import LatchkeyPrompt
import LatchkeySecretMemory

/// A secret that systemd hands to a service (`LoadCredential=`, `LoadCredentialEncrypted=`): a file in the directory
/// that the service manager names in `CREDENTIALS_DIRECTORY`.
struct ServiceCredential {
    let name: String

    /// The first line of the credential, without its end. No message repeats the name: it may be a misplaced secret.
    func line() throws(CommandFailure) -> SecretBox {
        guard let variable = unsafe getenv("CREDENTIALS_DIRECTORY") else {
            throw Self.unreadable(
                why: "CREDENTIALS_DIRECTORY is not set: systemd sets it for a service with LoadCredential= or "
                    + "LoadCredentialEncrypted=.",
                advice: "Start the service with systemctl, or give the passcode at the prompt or on standard input.")
        }
        let directory = unsafe String(cString: variable)
        guard directory.utf8.first == UInt8(ascii: "/"), isFileName else {
            throw Self.unreadable(
                why: "A credential is named by the part in front of the colon in LoadCredentialEncrypted=.",
                advice: "Name the credential as the unit does, for instance latchkey-passcode.")
        }
        // Nothing but a file that the service manager wrote: no link, and nothing that would have to be waited for.
        let descriptor = unsafe open(directory + "/" + name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            throw Self.unreadable(
                why: "The service has no such credential: \(SystemError.text(errno)).",
                advice: "Compare the name with LoadCredentialEncrypted= of the unit, and look at the journal: systemd "
                    + "says there why a credential could not be decrypted.")
        }
        defer { close(descriptor) }
        var information = stat()
        guard unsafe fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            throw Self.unreadable(why: "The credential is not a regular file.", advice: nil)
        }
        do throws(InputFailure) {
            return try SecretReader.line(from: descriptor)
        } catch {
            throw CommandFailure(error, reading: "credential")
        }
    }

    private var isFileName: Bool {
        let bytes = name.utf8
        return !bytes.isEmpty && !bytes.contains(UInt8(ascii: "/")) && !bytes.contains(0) && name != "." && name != ".."
    }

    private static func unreadable(why: String, advice: String?) -> CommandFailure {
        CommandFailure(.secretUnreadable, "The credential could not be read.", why: why, advice: advice)
    }
}
