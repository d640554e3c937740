import Foundation
import Security
import Testing

@Suite("Policies")
struct PolicyCallTests {
    @Test("a policy tells identifier and properties, and is made of them again")
    func properties() throws {
        let table: [(SecPolicy, [CFString: AnyHashable])] = try [
            (SecPolicyCreateBasicX509(), [kSecPolicyOid: "1.2.840.113635.100.1.2"]),
            (
                SecPolicyCreateSSL(true, "www.example.com" as CFString),
                [kSecPolicyOid: "1.2.840.113635.100.1.3", kSecPolicyName: "www.example.com"]
            ),
            (SecPolicyCreateSSL(true, nil), [kSecPolicyOid: "1.2.840.113635.100.1.3"]),
            (SecPolicyCreateSSL(false, nil), [kSecPolicyOid: "1.2.840.113635.100.1.3", kSecPolicyClient: true]),
            (
                #require(SecPolicyCreateRevocation(kSecRevocationUseAnyAvailableMethod)),
                [kSecPolicyOid: "1.2.840.113635.100.1.21", kSecPolicyRevocationFlags: 3]
            ),
        ]
        for (policy, properties) in table {
            let found = try #require(SecPolicyCopyProperties(policy))
            #expect(found == properties as NSDictionary)
            let identifier = try #require(found[kSecPolicyOid] as? NSString)
            let again = try #require(SecPolicyCreateWithProperties(identifier, found))
            #expect(again == policy)
            #expect(again.hash == policy.hash)
            #expect(CFGetTypeID(again) == SecPolicyGetTypeID())
        }
        #expect(Set(table.map(\.0)).count == table.count)
        #expect(Set(table.map(\.0.description)).count == table.count)
    }

    @Test("an identifier alone makes the policy without properties")
    func identifiers() {
        #expect(SecPolicyCreateWithProperties(kSecPolicyAppleX509Basic, nil) == SecPolicyCreateBasicX509())
        #expect(SecPolicyCreateWithProperties(kSecPolicyAppleSSL, nil) == SecPolicyCreateSSL(true, nil))
        // These two say themselves which side it is.
        let client = [kSecPolicyClient: true, kSecPolicyName: "one.example"] as CFDictionary
        #expect(
            SecPolicyCreateWithProperties(kSecPolicyAppleSSLServer, client)
                == SecPolicyCreateSSL(true, "one.example" as CFString))
        #expect(SecPolicyCreateWithProperties(kSecPolicyAppleSSLClient, nil) == SecPolicyCreateSSL(false, nil))
        #expect(
            SecPolicyCreateWithProperties(kSecPolicyAppleRevocation, nil)
                == SecPolicyCreateRevocation(kSecRevocationUseAnyAvailableMethod))
    }

    @Test(
        "a policy that is not judged here is refused",
        arguments: [
            kSecPolicyAppleCodeSigning, kSecPolicyAppleSMIME, kSecPolicyMacAppStoreReceipt, kSecPolicyAppleEAP,
            kSecPolicyAppleEAPServer, kSecPolicyAppleEAPClient, kSecPolicyAppleIPSecServer, kSecPolicyAppleIPSecClient,
            "1.2.3" as CFString, "" as CFString,
        ].map { $0 as String })
    func unknown(identifier: String) {
        #expect(SecPolicyCreateWithProperties(identifier as CFString, nil) == nil)
    }

    @Test("properties of a wrong type make no policy")
    func wrongTypes() {
        for properties in [
            [kSecPolicyName: 5], [kSecPolicyClient: "yes"], [kSecPolicyRevocationFlags: "3"],
        ] as [[CFString: Any]] {
            #expect(SecPolicyCreateWithProperties(kSecPolicyAppleSSL, properties as CFDictionary) == nil)
        }
        #expect(SecPolicyCreateWithProperties(5 as NSNumber, nil) == nil)
        let other = [kSecPolicyTeamIdentifier: "T"] as CFDictionary
        #expect(SecPolicyCreateWithProperties(kSecPolicyAppleSSL, other) == SecPolicyCreateSSL(true, nil))
    }

    @Test("revocation without any flag does not make a policy")
    func noFlags() {
        #expect(SecPolicyCreateRevocation(0) == nil)
        #expect(SecPolicyCreateRevocation(kSecRevocationRequirePositiveResponse) != nil)
    }

    @Test("the flags of revocation have their numbers")
    func flags() {
        #expect(kSecRevocationOCSPMethod == 1)
        #expect(kSecRevocationCRLMethod == 2)
        #expect(kSecRevocationPreferCRL == 4)
        #expect(kSecRevocationRequirePositiveResponse == 8)
        #expect(kSecRevocationNetworkAccessDisabled == 16)
        #expect(kSecRevocationUseAnyAvailableMethod == 3)
    }
}
