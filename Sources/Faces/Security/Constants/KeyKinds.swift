// The classes, types and sizes of keys: decimal numbers as text, although stored attributes are numbers.
//
// All are immutable objects, so sharing them is safe.
public import Foundation

// MARK: Classes of keys

nonisolated(unsafe) public let kSecAttrKeyClassPublic: CFString = "0"
nonisolated(unsafe) public let kSecAttrKeyClassPrivate: CFString = "1"
nonisolated(unsafe) public let kSecAttrKeyClassSymmetric: CFString = "2"

// MARK: Types and sizes of keys

nonisolated(unsafe) public let kSecAttrKeyTypeRSA: CFString = "42"
nonisolated(unsafe) public let kSecAttrKeyTypeEC: CFString = "73"
nonisolated(unsafe) public let kSecAttrKeyTypeECSECPrimeRandom: CFString = "73"
nonisolated(unsafe) public let kSecAttrKeyTypeECSECPrimeRandomPKA: CFString = "2147483678"
nonisolated(unsafe) public let kSecAttrKeyTypeSecureEnclaveAttestation: CFString = "2147483679"
nonisolated(unsafe) public let kSecAttrKeyTypeSecureEnclaveAnonymousAttestation: CFString = "2147483680"
nonisolated(unsafe) public let kSecAttrKeyTypeEd25519: CFString = "105"
nonisolated(unsafe) public let kSecAttrKeyTypeX25519: CFString = "106"
nonisolated(unsafe) public let kSecAttrKeyTypeEd448: CFString = "107"
nonisolated(unsafe) public let kSecAttrKeyTypeX448: CFString = "108"
nonisolated(unsafe) public let kSecAttrKeyTypeKyber: CFString = "109"
nonisolated(unsafe) public let kSecAttrKeyTypeMLKEM: CFString = "110"
nonisolated(unsafe) public let kSecAttrKeyTypeMLDSA: CFString = "111"
nonisolated(unsafe) public let kSecAttrKeySizeKyber768: CFString = "768"
nonisolated(unsafe) public let kSecAttrKeySizeKyber1024: CFString = "1024"
nonisolated(unsafe) public let kSecAttrKeySizeMLKEM768: CFString = "768"
nonisolated(unsafe) public let kSecAttrKeySizeMLKEM1024: CFString = "1024"
nonisolated(unsafe) public let kSecAttrKeySizeMLDSA65: CFString = "65"
nonisolated(unsafe) public let kSecAttrKeySizeMLDSA87: CFString = "87"
nonisolated(unsafe) public let kSecAttrKeyTypeDES: CFString = "14"
nonisolated(unsafe) public let kSecAttrKeyType3DES: CFString = "17"
nonisolated(unsafe) public let kSecAttrKeyTypeRC2: CFString = "23"
nonisolated(unsafe) public let kSecAttrKeyTypeRC4: CFString = "25"
nonisolated(unsafe) public let kSecAttrKeyTypeDSA: CFString = "43"
nonisolated(unsafe) public let kSecAttrKeyTypeCAST: CFString = "56"
nonisolated(unsafe) public let kSecAttrKeyTypeECDSA: CFString = "73"
nonisolated(unsafe) public let kSecAttrKeyTypeAES: CFString = "2147483649"
