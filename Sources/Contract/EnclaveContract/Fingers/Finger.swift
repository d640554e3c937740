/// A finger, as the sensor names it.
package enum Finger: String, Sendable, Hashable, CaseIterable {
    case leftThumb = "left-thumb"
    case leftIndex = "left-index-finger"
    case leftMiddle = "left-middle-finger"
    case leftRing = "left-ring-finger"
    case leftLittle = "left-little-finger"
    case rightThumb = "right-thumb"
    case rightIndex = "right-index-finger"
    case rightMiddle = "right-middle-finger"
    case rightRing = "right-ring-finger"
    case rightLittle = "right-little-finger"
}

package enum UnclearTouch: UInt8, Sendable, Hashable, CaseIterable {
    case again = 1
    case tooShort = 2
    case notCentered = 3
    case removeFinger = 4
}
