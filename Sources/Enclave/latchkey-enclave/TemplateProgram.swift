import Glibc
import LatchkeyDevice
import LatchkeyLocalTransport
import LatchkeyPeerIdentity
import LatchkeyPlainText
import LatchkeySensor

/// The same program as a small service of root: it tells an enclave that may not read fprintd's templates when they
/// changed, and holds no key. It ends after some quiet seconds; its socket starts it again.
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
        // The user's directory may be made later: the one above it is opened.
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
