import Foundation
import LatchkeyEnclaveContract
import LatchkeyEnclaveStorage
import LatchkeyTestSupport
import Testing

@Suite struct PermissionTests {
    @Test(
        "a directory that others may enter is refused with the command that fixes it",
        arguments: [
            0o755, 0o710, 0o701, 0o770,
        ])
    func directory(mode: Int) throws {
        let device = try TestDevice.withPasscode()
        let path = device.directory.storage
        chmod(path, mode_t(mode))
        let failure = try #require(throws: StorageFailure.self) { _ = try FileEnclaveStorage(directory: path) }
        #expect(failure.description.contains("chmod 700 '\(path)'"))
        chmod(path, 0o700)
        try device.reopened().expectDone(UnlockDevice(passcode("1234")))
    }

    @Test(
        "a file that others may read is refused with the command that fixes it",
        arguments: [
            "uid", "effaceable", "keybag", "attempts",
        ])
    func file(_ file: String) throws {
        let device = try TestDevice.withPasscode()
        let path = device.directory.storage + "/" + file
        chmod(path, 0o644)
        do {
            _ = try device.reopened()
            Issue.record("the device opens")
        } catch let failure as StorageFailure {
            #expect(failure.description.contains("chmod 600 '\(path)'"))
        } catch EnclaveRefusal.storage(let reason) {
            #expect(reason.contains("chmod 600 '\(path)'"))
        }
        chmod(path, 0o600)
        try device.reopened().expectDone(UnlockDevice(passcode("1234")))
    }

    @Test("a link in place of a file or the directory is refused") func links() throws {
        let device = try TestDevice.withPasscode()
        let link = device.directory.path + "/link"
        symlink(device.directory.storage, link)
        #expect(throws: StorageFailure.wrongKind(path: link)) { _ = try FileEnclaveStorage(directory: link) }

        let uid = device.directory.storage + "/uid"
        rename(uid, device.directory.path + "/elsewhere")
        symlink(device.directory.path + "/elsewhere", uid)
        #expect(throws: StorageFailure.wrongKind(path: uid)) {
            _ = try FileEnclaveStorage(directory: device.directory.storage)
        }
    }

    @Test("everything the enclave makes is for its owner only") func modes() throws {
        let device = try TestDevice.withPasscode()
        let files = try FileManager.default.contentsOfDirectory(atPath: device.directory.storage)
        #expect(Set(files) == ["uid", "effaceable", "keybag", "attempts", "lock"])
        for file in files {
            var status = stat()
            #expect(stat(device.directory.storage + "/" + file, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600, "\(file)")
        }
        var status = stat()
        #expect(stat(device.directory.storage, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
    }

    @Test("a directory that cannot be made is refused with the reason") func noParent() throws {
        let failure = try #require(throws: StorageFailure.self) {
            _ = try FileEnclaveStorage(directory: "/nonexistent/place/enclave")
        }
        #expect(
            failure.description == "cannot make the directory /nonexistent/place/enclave: No such file or directory")
    }
}
