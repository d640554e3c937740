import Foundation
import LocalAuthentication
import Security

/// The items of the measurements: passwords of accounts at a hundred services.
enum SampleItems {
    static let serviceCount = 100

    static func service(_ index: Int) -> String { "service-\(index % serviceCount).example.com" }
    static func account(_ index: Int) -> String { "person-\(index)@example.com" }
    static func password(_ index: Int) -> String { "correct horse \(index) battery" }

    /// The query of an app for one password.
    static func query(_ index: Int) -> CFDictionary {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service(index), kSecAttrAccount: account(index),
            kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne,
        ] as CFDictionary
    }

    static func queryOfAll(withData: Bool) -> CFDictionary {
        [
            kSecClass: kSecClassGenericPassword, kSecReturnAttributes: true, kSecReturnData: withData,
            kSecMatchLimit: kSecMatchLimitAll,
        ] as CFDictionary
    }

    /// An item that needs a person, by finger or passcode.
    static func guardedItem(_ index: Int) throws -> CFDictionary {
        guard
            let control = SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, .userPresence, nil)
        else { throw Failure("no access control") }
        return [
            kSecClass: kSecClassGenericPassword, kSecAttrService: guardedService(index),
            kSecAttrAccount: account(index), kSecValueData: Data(password(index).utf8), kSecAttrAccessControl: control,
        ] as CFDictionary
    }

    static func guardedQuery(_ index: Int, _ context: LAContext?) -> CFDictionary {
        var query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: guardedService(index),
            kSecAttrAccount: account(index), kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne,
        ]
        if let context { query[kSecUseAuthenticationContext] = context }
        return query as CFDictionary
    }

    private static func guardedService(_ index: Int) -> String { "guarded-" + service(index) }

    /// An item that a circle shares.
    static func sharedItem(_ index: Int) -> CFDictionary {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service(index), kSecAttrAccount: account(index),
            kSecValueData: Data(password(index).utf8), kSecAttrSynchronizable: true,
        ] as CFDictionary
    }

    static func sharedQuery(_ index: Int) -> CFDictionary {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service(index), kSecAttrAccount: account(index),
            kSecAttrSynchronizable: true, kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne,
        ] as CFDictionary
    }

    static func item(_ index: Int) -> CFDictionary {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service(index), kSecAttrAccount: account(index),
            kSecValueData: Data(password(index).utf8),
        ] as CFDictionary
    }
}
