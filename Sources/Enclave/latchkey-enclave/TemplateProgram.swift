import Glibc
import LatchkeyDevice
import LatchkeyLocalTransport
import LatchkeyPeerIdentity
import LatchkeyPlainText
import LatchkeySensor

/// The same program as a small service of root. It reports changes of fprintd's templates to an enclave that must not
/// read them, and holds no keys. It ends after some idle seconds, and its socket starts it again.
enum TemplateProgram {
    static let option = "--answer-templates"

    private static let idleSeconds: Int32 = 20

    static func serve(_ arguments: [String], log: ProgramLog) -> Never {
        OwnProcess.beginAsDaemon()
        let directory: String
        do throws(ProgramOptions.Failure) {
            directory = try ProgramOptions(Array(arguments.dropFirst()), values: [option], flags: []).required(option)
        } catch {
            log.fail("\(error)")
        }
        let passed: PassedSocket?
        do throws(PassedSocketFailure) {
            passed = try PassedSocket.take(named: "templates")
        } catch {
            log.fail("cannot serve what was passed: \(error)")
        }
        guard let passed else { log.fail("\(option) needs a socket that is passed (LISTEN_FDS)") }
        OwnProcess.dropCapabilities()
        // The parent is opened because the user's directory may be made later.
        let parent = PathText.directory(of: directory)
        let files = Confinement.restrictFiles(writable: [], readable: [parent, "/dev/null"])
        if case .unavailable(let number) = files {
            log.write(unsafe "files are not confined (Landlock): \(String(cString: strerror(number)))")
        }
        if case .unavailable(let number) = Confinement.restrictSystemCalls(startingPrograms: false) {
            log.write(unsafe "system calls are not confined (seccomp): \(String(cString: strerror(number)))")
        }
        TemplateService.serve(passed.descriptor, templates: directory, idleSeconds: idleSeconds)
        exit(EXIT_SUCCESS)
    }
}
