// Keys of the options and results of importing PKCS #12 files.
//
// All are immutable objects, so sharing them is safe.
public import Foundation

nonisolated(unsafe) public let kSecImportExportPassphrase: CFString = "passphrase"
/// True: nothing is stored. Overrides all other options.
nonisolated(unsafe) public let kSecImportToMemoryOnly: CFString = "memory"
nonisolated(unsafe) public let kSecImportItemLabel: CFString = "label"
nonisolated(unsafe) public let kSecImportItemKeyID: CFString = "keyid"
nonisolated(unsafe) public let kSecImportItemTrust: CFString = "trust"
nonisolated(unsafe) public let kSecImportItemCertChain: CFString = "chain"
nonisolated(unsafe) public let kSecImportItemIdentity: CFString = "identity"
