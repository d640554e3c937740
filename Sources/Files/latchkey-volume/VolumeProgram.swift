import Glibc
import LatchkeyDevice
import LatchkeyFileAccess
import LatchkeyKeychainMessages
import LatchkeyPeerIdentity
import LatchkeyVolume
import LatchkeyVolumeMount

/// Serves one volume until it is unmounted.
@main
enum VolumeProgram {
    static let usage = """
        usage: latchkey-volume --storage DIR --at MOUNTPOINT [--read-only] [--allow-others] [--announce]
               latchkey-volume --version
        `latchkey volume mount` starts it.
        """

    private static let log = ProgramLog(program: "latchkey-volume")

    static func main() {
        ProgramVersion.answer(CommandLine.arguments, program: "latchkey-volume")
        if CommandLine.arguments.dropFirst().first == ConnectionWatcher.argument {
            ConnectionWatcher.run(Array(CommandLine.arguments.dropFirst(2)))
        }
        // The kernel has applied the mask of the program that makes a file.
        umask(0)
        // Each thread's own heap would grow by one call of the system for each new file.
        OwnProcess.useOneHeap()
        OwnProcess.refuseCoreFiles()
        OwnProcess.blockEndSignals()
        let options: VolumeOptions
        do throws(ProgramOptions.Failure) {
            options = try VolumeOptions(CommandLine.arguments)
        } catch {
            log.fail("\(error)", usage: usage)
        }
        raiseDescriptorLimit()
        let volume = open(options)
        let mount = VolumeMount(volume, at: options.mountPoint) {
            guard options.announces else { return }
            // The tool waits until the pipe is closed.
            _ = unsafe write(STDOUT_FILENO, [1], 1)
            let nothing = unsafe Glibc.open("/dev/null", O_WRONLY | O_CLOEXEC)
            dup2(nothing, STDOUT_FILENO)
            close(nothing)
        }
        let watch = ConnectionWatch(mountedAt: options.mountPoint, log)
        do throws(VolumeMount.Failure) {
            // A volume that was unmounted ends the process as a signal does.
            try mount.run(
                options.mount,
                whenMounted: {
                    watch.begin()
                    return { watch.end() }
                }, whenGone: { kill(getpid(), SIGTERM) }, waitForEnd: { watch.waitForEndSignal() })
        } catch {
            log.fail("\(options.mountPoint) was not mounted; the line above says why")
        }
        exit(EXIT_SUCCESS)
    }

    private static func open(_ options: VolumeOptions) -> Volume {
        do throws(DeviceFailure) {
            let location = try DeviceLocation.ofThisProcess()
            let keychain = try location.keychain()
            let programs = ProgramProtection(signatures: location.signatureDirectories)
            do throws(Volume.OpeningFailure) {
                return try Volume(
                    storedIn: options.storage, keychain, isReadOnly: options.mount.isReadOnly,
                    programProtection: { programs.protection(of: $0) })
            } catch {
                log.fail("\(options.storage) was not opened: \(error.reason)")
            }
        } catch {
            log.fail("\(error)")
        }
    }

    /// Each directory that the kernel knows takes a descriptor, and each open file.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
