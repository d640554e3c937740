/// The options of a mount.
package struct MountOptions: Sendable {
    /// Shown as the device in the table of mounts.
    package var source: String
    package var isReadOnly = false
    /// Users other than the one who mounts may enter, as the permissions allow. Root may say so, and whom
    /// `user_allow_other` in /etc/fuse.conf lets.
    package var allowsOthers = false

    package init(source: String) {
        self.source = source
    }

    /// The arguments of a session: permissions are the kernel's matter.
    var arguments: [String] {
        // A comma ends an option, also one that an accent follows.
        let source = source.unicodeScalars.reduce(into: "") { text, scalar in
            if scalar == "," || scalar == "\\" { text.unicodeScalars.append("\\") }
            text.unicodeScalars.append(scalar)
        }
        var options = ["default_permissions", "subtype=latchkey", "fsname=\(source)"]
        if isReadOnly { options.append("ro") }
        if allowsOthers { options.append("allow_other") }
        return ["latchkey-volume", "-o", options.joined(separator: ",")]
    }
}
