import LatchkeyDevice
import LatchkeyVolumeMount

/// The arguments of `latchkey-volume`.
struct VolumeOptions {
    /// The directory that stores the volume.
    let storage: String
    let mountPoint: String
    let mount: MountOptions
    /// Standard output gets a byte when programs can use the volume.
    let announces: Bool

    init(_ arguments: [String]) throws(ProgramOptions.Failure) {
        let options = try ProgramOptions(
            Array(arguments.dropFirst()), values: ["--storage", "--at"],
            flags: ["--read-only", "--allow-others", "--announce"])
        storage = try options.required("--storage")
        mountPoint = try options.required("--at")
        announces = options.has("--announce")
        var mount = MountOptions(source: storage)
        mount.isReadOnly = options.has("--read-only")
        mount.allowsOthers = options.has("--allow-others")
        self.mount = mount
    }
}
