import LatchkeyBinaryPropertyList
package import LatchkeyEncoding

/// `Info.plist`: what a person is shown of a backup before it is opened.
package struct BackupInfo: Sendable {
    package var device: DeviceDescription
    package var applications: [String]
    package var date: WallTime
    /// The program that made the backup, with its version.
    package var maker: String

    package init(device: DeviceDescription, applications: [String], date: WallTime, maker: String) {
        self.device = device
        self.applications = applications
        self.date = date
        self.maker = maker
    }

    package init(_ bytes: [UInt8]) throws(BackupFailure) {
        let list = try ListFile.value(bytes, name: BackupNames.info)
        func text(_ key: String) -> String { list[key]?.text ?? "" }
        device = DeviceDescription(
            identifier: (list["Target Identifier"]?.text ?? text("Unique Identifier")).lowercased(),
            name: text("Device Name"), serialNumber: text("Serial Number"), productType: text("Product Type"),
            productVersion: text("Product Version"), buildVersion: text("Build Version"))
        applications = (list["Installed Applications"]?.list ?? []).compactMap(\.text)
        date = WallTime(secondsSince2001: list["Last Backup Date"]?.seconds ?? 0)
        maker = text("iTunes Version")
    }

    package var encoded: [UInt8] {
        ListWriter.encode(
            .dictionary([
                "Build Version": .string(device.buildVersion), "Device Name": .string(device.name),
                "Display Name": .string(device.name),
                "GUID": .string(String(device.identifier.prefix(32)).uppercased()),
                "ICCID": .string(""), "IMEI": .string(""), "MEID": .string(""), "Phone Number": .string(""),
                "Installed Applications": .array(applications.map { .string($0) }),
                "Last Backup Date": .date(date.seconds),
                "Product Name": .string("Latchkey"), "Product Type": .string(device.productType),
                "Product Version": .string(device.productVersion), "Serial Number": .string(device.serialNumber),
                "Target Identifier": .string(device.identifier), "Target Type": .string("Device"),
                "Unique Identifier": .string(device.identifier.uppercased()), "iTunes Version": .string(maker),
                "iTunes Files": .dictionary([:]), "iTunes Settings": .dictionary([:]),
            ]))
    }
}

/// `Status.plist`: whether a backup is whole.
package struct BackupStatus: Sendable {
    package var isFull: Bool
    /// True if the run that made the backup came to its end.
    package var isFinished: Bool
    package var date: WallTime
    /// Upper-case text.
    package var uuid: String

    package init(isFull: Bool, isFinished: Bool, date: WallTime, uuid: String) {
        self.isFull = isFull
        self.isFinished = isFinished
        self.date = date
        self.uuid = uuid
    }

    package init(_ bytes: [UInt8]) throws(BackupFailure) {
        let list = try ListFile.value(bytes, name: BackupNames.status)
        isFull = list["IsFullBackup"]?.truth ?? true
        isFinished = list["SnapshotState"]?.text.map { $0 == "finished" } ?? true
        date = WallTime(secondsSince2001: list["Date"]?.seconds ?? 0)
        uuid = list["UUID"]?.text ?? ""
    }

    package var encoded: [UInt8] {
        ListWriter.encode(
            .dictionary([
                "BackupState": .string("new"), "Date": .date(date.seconds), "IsFullBackup": .boolean(isFull),
                "SnapshotState": .string(isFinished ? "finished" : "uploading"), "UUID": .string(uuid),
                "Version": .string("3.3"),
            ]))
    }
}
