internal import LatchkeyPropertyListDER
internal import LatchkeySyncStore

extension StoreFailure {
    /// The kind of failure, and its detail.
    var fields: [PropertyValue] {
        switch self {
        case .unreachable(let absence): [.integer(1), .integer(Int64(absence.rawValue))]
        case .refused(let refusal): [.integer(2), .integer(Int64(refusal.rawValue))]
        case .taken(let name): [.integer(3), .string("\(name)")]
        case .headReplaced: [.integer(4)]
        case .unsuitable(let name): [.integer(5), .string("\(name)")]
        case .system(let number): [.integer(6), .integer(Int64(number))]
        }
    }

    init(_ fields: inout TransportFields) throws(TransportMessageFailure) {
        switch try fields.integer() {
        case 1:
            guard let absence = Absence(rawValue: UInt8(try fields.number(in: 0...255))) else { throw .badValue }
            self = .unreachable(absence)
        case 2:
            guard let refusal = Refusal(rawValue: UInt8(try fields.number(in: 0...255))) else { throw .badValue }
            self = .refused(refusal)
        case 3: self = .taken(try fields.name())
        case 4: self = .headReplaced
        case 5: self = .unsuitable(try fields.name())
        case 6: self = .system(Int32(try fields.number(in: 0...Int64(Int32.max))))
        default: throw .badValue
        }
    }
}
