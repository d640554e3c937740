import LatchkeyEnclaveContract

/// A finger of the owner of a virtual device.
public enum Finger: String, Sendable, Hashable, CaseIterable {
    case leftThumb
    case leftIndex
    case leftMiddle
    case leftRing
    case leftLittle
    case rightThumb
    case rightIndex
    case rightMiddle
    case rightRing
    case rightLittle

    init(_ finger: LatchkeyEnclaveContract.Finger) {
        self =
            switch finger {
            case .leftThumb: .leftThumb
            case .leftIndex: .leftIndex
            case .leftMiddle: .leftMiddle
            case .leftRing: .leftRing
            case .leftLittle: .leftLittle
            case .rightThumb: .rightThumb
            case .rightIndex: .rightIndex
            case .rightMiddle: .rightMiddle
            case .rightRing: .rightRing
            case .rightLittle: .rightLittle
            }
    }

    /// The name that sensors know.
    var atSensor: LatchkeyEnclaveContract.Finger {
        switch self {
        case .leftThumb: .leftThumb
        case .leftIndex: .leftIndex
        case .leftMiddle: .leftMiddle
        case .leftRing: .leftRing
        case .leftLittle: .leftLittle
        case .rightThumb: .rightThumb
        case .rightIndex: .rightIndex
        case .rightMiddle: .rightMiddle
        case .rightRing: .rightRing
        case .rightLittle: .rightLittle
        }
    }
}
