import LatchkeyBinaryPropertyList
package import LatchkeyEncoding

/// `Manifest.plist`: the keybag of a backup, and of what device it is.
package struct BackupManifest: Sendable {
    package var keybag: [UInt8]
    package var isEncrypted: Bool
    /// Of the index; nil if it is not encrypted.
    package var indexKey: WrappedBackupKey?
    package var wasPasscodeSet: Bool
    package var date: WallTime
    package var device: DeviceDescription
    package var applications: [Application]
    /// "10.0" with Manifest.db; older ones have another index.
    package var version = "10.0"

    package struct Application: Sendable, Hashable {
        package let identifier: String
        package let path: String

        package init(identifier: String, path: String) {
            self.identifier = identifier
            self.path = path
        }
    }

    package init(
        keybag: [UInt8], isEncrypted: Bool, indexKey: WrappedBackupKey?, wasPasscodeSet: Bool, date: WallTime,
        device: DeviceDescription, applications: [Application]
    ) {
        self.keybag = keybag
        self.isEncrypted = isEncrypted
        self.indexKey = indexKey
        self.wasPasscodeSet = wasPasscodeSet
        self.date = date
        self.device = device
        self.applications = applications
    }

    /// Reads the file as any tool may have written it: what is optional may be missing, and unknown keys are passed over.
    package init(_ bytes: [UInt8]) throws(BackupFailure) {
        let name = BackupNames.manifest
        let list = try ListFile.value(bytes, name: name)
        guard list.pairs != nil else { throw .damaged(name) }
        isEncrypted = list["IsEncrypted"]?.truth ?? (list["IsEncrypted"]?.number == 1)
        keybag = list["BackupKeyBag"]?.bytes ?? []
        wasPasscodeSet = list["WasPasscodeSet"]?.truth ?? false
        date = WallTime(secondsSince2001: list["Date"]?.seconds ?? 0)
        version = list["Version"]?.text ?? ""
        if let key = list["ManifestKey"]?.bytes {
            guard key.count == 4 + WrappedBackupKey.byteCount else { throw Self.unreadable(version) }
            let number = Int(key[0]) | Int(key[1]) << 8 | Int(key[2]) << 16 | Int(key[3]) << 24
            guard number <= UInt8.max else { throw .damaged(name) }
            indexKey = WrappedBackupKey(classNumber: number, bytes: Array(key[4...]))
        }
        guard !isEncrypted || !keybag.isEmpty else { throw Self.unreadable(version) }
        device = DeviceDescription(lockdown: list["Lockdown"])
        applications = (list["Applications"]?.pairs ?? [:]).map { identifier, value in
            Application(identifier: identifier, path: value["Path"]?.text ?? "")
        }.sorted { $0.identifier < $1.identifier }
    }

    /// Judges a manifest that lacks something: that is damage unless a later format may do without it.
    private static func unreadable(_ version: String) -> BackupFailure {
        guard let major = version.split(separator: ".").first.flatMap({ Int($0) }), major > latestMajorVersion else {
            return .damaged(BackupNames.manifest)
        }
        return .unsupported(
            BackupNames.manifest, why: "The backup has format \(version), which needs a later version of Latchkey.")
    }

    private static let latestMajorVersion = 10

    package var encoded: [UInt8] {
        var members: [String: ListObject] = [
            "BackupKeyBag": .data(keybag), "IsEncrypted": .boolean(isEncrypted),
            "WasPasscodeSet": .boolean(wasPasscodeSet), "Version": .string(version),
            "SystemDomainsVersion": .string("24.0"), "Date": .date(date.seconds), "Lockdown": device.lockdown,
            "Applications": .dictionary(
                Dictionary(
                    applications.map { application in
                        (
                            application.identifier,
                            .dictionary([
                                "CFBundleIdentifier": .string(application.identifier),
                                "CFBundleVersion": .string("1"),
                                "ContainerContentClass": .string("Data/Application"),
                                "Path": .string(application.path),
                            ])
                        )
                    }, uniquingKeysWith: { one, _ in one })),
        ]
        if let indexKey {
            members["ManifestKey"] = .data([UInt8(indexKey.classNumber), 0, 0, 0] + indexKey.bytes)
        }
        return ListWriter.encode(.dictionary(members))
    }
}

/// The device of a backup, as its lists describe it.
package struct DeviceDescription: Sendable, Hashable {
    /// 40 lower-case hexadecimal digits.
    package var identifier: String
    package var name: String
    package var serialNumber: String
    package var productType: String
    /// Tools choose the form of the encryption by it: above 10.2 in every backup of this kind.
    package var productVersion: String
    package var buildVersion: String

    package init(
        identifier: String, name: String, serialNumber: String, productType: String, productVersion: String,
        buildVersion: String
    ) {
        self.identifier = identifier
        self.name = name
        self.serialNumber = serialNumber
        self.productType = productType
        self.productVersion = productVersion
        self.buildVersion = buildVersion
    }

    init(lockdown: ListObject?) {
        func text(_ key: String) -> String { lockdown?[key]?.text ?? "" }
        identifier = text("UniqueDeviceID")
        name = text("DeviceName")
        serialNumber = text("SerialNumber")
        productType = text("ProductType")
        productVersion = text("ProductVersion")
        buildVersion = text("BuildVersion")
    }

    var lockdown: ListObject {
        .dictionary([
            "UniqueDeviceID": .string(identifier), "DeviceName": .string(name), "SerialNumber": .string(serialNumber),
            "ProductType": .string(productType), "ProductVersion": .string(productVersion),
            "BuildVersion": .string(buildVersion),
        ])
    }
}
