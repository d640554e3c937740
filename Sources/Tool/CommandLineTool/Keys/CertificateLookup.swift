import LatchkeyCertificates
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// A certificate of the keychain with its attributes.
struct StoredCertificate {
    let attributes: [String: PropertyValue]
    let certificate: Certificate

    private static let naming: [AttributeName] = [.issuer, .serialNumber, .accessGroup]

    /// Tells which item it is; no two in a group agree in it.
    var key: [PropertyValue] {
        Self.naming.map { attributes[$0] ?? .null }
    }
}

/// Reads the certificates of the keychain, all of them: they are few, and no attribute has their names.
struct CertificateLookup {
    let device: DeviceAccess
    let owner: OwnerAuthority?

    /// Every certificate that can be read now, and the names of the classes that are locked.
    func all() throws(CommandFailure) -> (certificates: [StoredCertificate], locked: [String]) {
        let (parts, locked) = try KeychainReading(device: device, owner: owner).parts(of: ["cert"], withSecrets: true)
        var found: [StoredCertificate] = []
        for part in parts {
            for var attributes in part.attributes {
                guard case .secret(let index)? = attributes.removeValue(forKey: "v_Data"),
                    part.secrets.indices.contains(index)
                else { continue }
                let bytes = unsafe part.secrets[index].withBytes { unsafe Array($0) }
                // An app may have stored other bytes under the class: they are left out.
                guard let certificate = try? Certificate(der: bytes) else { continue }
                found.append(StoredCertificate(attributes: attributes, certificate: certificate))
            }
        }
        return (found, locked)
    }

    /// The same, for a command that finds nothing if all is locked.
    func matching(
        _ isWanted: (StoredCertificate) -> Bool
    ) throws(CommandFailure) -> [StoredCertificate] {
        let (all, locked) = try all()
        let found = all.filter(isWanted)
        guard found.isEmpty else { return found }
        guard locked.isEmpty else {
            throw CommandFailure(
                .locked, "No certificate that fits can be seen now.",
                why: "These classes are locked: \(locked.joined(separator: ", ")).", advice: device.unlockAdvice,
                code: .interactionNotAllowed)
        }
        throw CommandFailure(
            .itemNotFound, "There is no such certificate.", why: "Nothing in this group fits what is given.",
            advice: "`latchkey find-certificate -a` shows what there is; those of other programs need --access-group.",
            code: .itemNotFound)
    }

    /// The certificates that lead from a certificate to an anchor, as far as they are stored; without itself.
    static func chain(of leaf: Certificate, in stored: [Certificate]) -> [Certificate] {
        var chain: [Certificate] = []
        var last = leaf
        while chain.count < 10, last.normalisedIssuer != last.normalisedSubject {
            let next = stored.first {
                $0.normalisedSubject == last.normalisedIssuer && $0 != leaf && !chain.contains($0)
            }
            guard let next else { break }
            chain.append(next)
            last = next
        }
        return chain
    }
}
