import Foundation
import LatchkeyAccessControl
import LatchkeyCryptoSuite
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEnclaveStorage
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

/// Traces of keys of ML-KEM and ML-DSA in the memory of daemon and enclave.
@Suite(.serialized, .needsRoot(to: "read the memory of other processes", if: MemoryScan.isPossible))
struct EnclaveKeyScanTests {
    private static let passcode = SecretBox(copying: Array("1357".utf8))

    @Test(
        "after a use the key that grew from the seed is gone, after a lock the seed is, and a shared secret never stays"
    )
    func keys() throws {
        let device = try DeviceProcesses()
        try device.start()
        let client = device.client()
        guard (try? client.ask(SetPasscode(Self.passcode))) != nil else { throw Failed("no passcode") }
        let daemon = try #require(device.daemonIdentifier)
        let enclave = try #require(device.enclaveIdentifier)
        var seeds: [Needle] = []
        var gone: [Needle] = []
        for new in [NewEnclaveKey.mldsa65, .mldsa87, .mlkem768, .mlkem1024] {
            let control = try AccessControl(protection: .whenUnlocked, flags: .privateKeyUsage)
            guard let blob = try? client.ask(CreateEnclaveKey(new, under: control)).blob else {
                throw Failed("no key of \(new.kind.name)")
            }
            // Large ones travel in a memory file, through a confined process.
            let message = SystemEntropy().bytes(EnclaveLimits.messageByteCount)
            let seed = try seed(of: blob, device.directory)
            seeds.append(Needle("the seed of \(new.kind.name)", seed.prefix(32)))
            for _ in 0..<3 {
                if let byteCount = new.kind.ciphertextByteCount {
                    // Of random bytes comes the secret of an implicit rejection.
                    let question = DecapsulateWithKey(blob, ciphertext: Array(message.prefix(byteCount)))
                    gone.append(Needle("a shared secret of \(new.kind.name)", try client.ask(question).secret))
                } else {
                    let signature = try client.ask(SignMessageWithKey(blob, message: message))
                    #expect(signature.bytes.count == new.kind.messageSignatureByteCount)
                }
            }
            gone += try grown(from: seed, new.kind)
        }
        // The scan sees what is there.
        #expect(Set(try MemoryScan(of: enclave).found(seeds)).count == seeds.count, "the scan is blind")
        #expect(try MemoryScan(of: enclave).found(gone) == [])
        #expect(try MemoryScan(of: daemon).found(seeds) == [])
        guard (try? client.ask(LockDevice(immediately: true))) != nil else { throw Failed("no lock") }
        #expect(try MemoryScan(of: enclave).found(seeds + gone) == [])
        #expect(try MemoryScan(of: daemon).found(seeds + gone) == [])
    }

    /// Computed from the device's files beside the running processes.
    private func seed(of bytes: [UInt8], _ directory: DeviceDirectory) throws -> SecretBox {
        let storage = try FileEnclaveStorage(directory: directory.enclave)
        guard let keybag = try storage.keybag() else { throw Failed("no keybag") }
        let keys = try SystemKeybag(try Keybag(parsing: keybag), hardwareKey: storage.hardwareKey)
            .open(with: Self.passcode)
        let blob = try EnclaveKeyBlob(parsing: bytes)
        let deviceKey = storage.hardwareKey.derived(label: EnclaveKeyBlob.deviceKeyLabel)
        guard let classKey = keys[blob.keyClass],
            case .key(let seed) = blob.secret(with: classKey, deviceKey: deviceKey, passwordKey: nil)
        else { throw Failed("the blob does not open") }
        return seed
    }

    /// The part that only the private key has, as in FIPS 204 and 203: K of ML-DSA, and for ML-KEM the z that
    /// rejects, which is the seed's second half.
    private func grown(from seed: SecretBox, _ kind: EnclaveKeyKind) throws -> [Needle] {
        let dimensions: [UInt8]
        switch kind {
        case .mldsa65: dimensions = [6, 5]
        case .mldsa87: dimensions = [8, 7]
        default: return []
        }
        let input = seed.withBytes { Array($0) } + dimensions
        let openssl = Process()
        openssl.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        openssl.arguments = ["dgst", "-shake256", "-xoflen", "128", "-binary"]
        let (asked, answered) = (Pipe(), Pipe())
        openssl.standardInput = asked
        openssl.standardOutput = answered
        do { try openssl.run() } catch { throw Failed("no openssl (package openssl): \(error)") }
        try asked.fileHandleForWriting.write(contentsOf: Data(input))
        try asked.fileHandleForWriting.close()
        let expanded = Array(try answered.fileHandleForReading.readToEnd() ?? Data())
        openssl.waitUntilExit()
        guard expanded.count == 128 else { throw Failed("openssl gave \(expanded.count) bytes") }
        return [Needle("K of \(kind.name)", Array(expanded[96...]))]
    }
}
