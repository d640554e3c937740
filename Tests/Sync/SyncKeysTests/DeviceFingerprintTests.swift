import LatchkeySyncCore
import Testing

@testable import LatchkeySyncKeys

@Suite("Fingerprints of devices") struct DeviceFingerprintTests {
    /// Keys of fixed bytes, as in `Fixtures/Vectors/sync-keys`.
    private static func keys(changing changed: Int? = nil) throws -> DevicePublicKeys {
        func point(_ number: Int) throws -> P256PublicKey {
            var bytes = [4] + Sample.fixed("point \(number) x") + Sample.fixed("point \(number) y")
            if number == changed { bytes[64] ^= 1 }
            return try #require(P256PublicKey(bytes))
        }
        func encapsulation(_ number: Int) throws -> MLKEMPublicKey {
            var bytes = (0..<37).flatMap { Sample.fixed("encapsulation \(number) \($0)") }
            if number == changed { bytes[1183] ^= 1 }
            return try #require(MLKEMPublicKey(bytes))
        }
        return DevicePublicKeys(
            statement: try point(0), log: try point(1),
            receiveA: ReceivePublicKeys(agreement: try point(2), encapsulation: try encapsulation(3)),
            receiveC: ReceivePublicKeys(agreement: try point(4), encapsulation: try encapsulation(5)))
    }

    @Test("are those of another implementation, and so is the name of the request") func answers() throws {
        let answers = try Answers.all()
        let fingerprint = DeviceFingerprint(of: try Self.keys(), in: Sample.circle)
        #expect(fingerprint.text == answers.fingerprint)
        #expect(fingerprint.requestName == (try Answers.bytes(answers.fingerprintRequestName)))
    }

    @Test("cover each of the six keys, and the circle", arguments: 0..<6) func covered(key: Int) throws {
        let fingerprint = DeviceFingerprint(of: try Self.keys(), in: Sample.circle)
        #expect(DeviceFingerprint(of: try Self.keys(changing: key), in: Sample.circle) != fingerprint)
        let other = try #require(CircleIdentifier(Sample.fixed("other circle", 16)))
        #expect(DeviceFingerprint(of: try Self.keys(), in: other) != fingerprint)
    }

    @Test("are read as people write them, and compared in full") func reading() throws {
        let fingerprint = DeviceFingerprint(of: try Self.keys(), in: Sample.circle)
        let text = fingerprint.text
        #expect(text.count == DeviceFingerprint.characterCount)
        for spelled in [
            text, text.lowercased(), String(text.prefix(13)) + "-" + text.dropFirst(13),
            text.replacing("0", with: "O").replacing("1", with: "l"),
        ] { #expect(DeviceFingerprint(reading: spelled) == fingerprint, "\(spelled)") }
        for position in text.indices {
            var other = text
            other.replaceSubrange(position...position, with: text[position] == "7" ? "8" : "7")
            #expect(DeviceFingerprint(reading: other) != fingerprint, "\(other)")
        }
        for wrong in ["", String(text.dropLast()), text + "0", "U" + text.dropFirst()] {
            #expect(DeviceFingerprint(reading: wrong) == nil, "\(wrong)")
        }
    }
}
