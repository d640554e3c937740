/// An `OSStatus` in the core. The names are Apple's without the prefix `errSec`. The `Security` face has the whole
/// table with its messages.
package struct ResultCode: RawRepresentable, Sendable, Hashable, Error {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    package static let success = ResultCode(rawValue: 0)
    package static let unimplemented = ResultCode(rawValue: -4)
    package static let diskFull = ResultCode(rawValue: -34)
    package static let io = ResultCode(rawValue: -36)
    package static let param = ResultCode(rawValue: -50)
    package static let userCanceled = ResultCode(rawValue: -128)
    package static let missingEntitlement = ResultCode(rawValue: -34018)
    package static let restrictedAPI = ResultCode(rawValue: -34020)
    package static let notAvailable = ResultCode(rawValue: -25291)
    package static let readOnly = ResultCode(rawValue: -25292)
    package static let authFailed = ResultCode(rawValue: -25293)
    package static let duplicateItem = ResultCode(rawValue: -25299)
    package static let itemNotFound = ResultCode(rawValue: -25300)
    package static let dataTooLarge = ResultCode(rawValue: -25302)
    package static let noSuchAttr = ResultCode(rawValue: -25303)
    package static let noSuchClass = ResultCode(rawValue: -25306)
    package static let interactionNotAllowed = ResultCode(rawValue: -25308)
    package static let decode = ResultCode(rawValue: -26275)
    package static let internalError = ResultCode(rawValue: -26276)
}
