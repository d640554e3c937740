/// Two values, one for each zone.
package struct PerZone<Value> {
    package var a: Value
    package var c: Value

    package init(a: Value, c: Value) {
        self.a = a
        self.c = c
    }

    package init(both value: Value) {
        self.init(a: value, c: value)
    }

    package subscript(_ zone: ZoneClass) -> Value {
        get {
            switch zone {
            case .a: a
            case .c: c
            }
        }
        set {
            switch zone {
            case .a: a = newValue
            case .c: c = newValue
            }
        }
    }
}

extension PerZone: Equatable where Value: Equatable {}
extension PerZone: Hashable where Value: Hashable {}
extension PerZone: Sendable where Value: Sendable {}
